const FORM = /^multipart\/form-data;\s*(?:charset=utf-8;\s*)?boundary=(?:"([^";\\]{1,100})"|([^\s;",\\]{1,100}))$/i;
// grammY does not quote the name of a file, which may have spaces. With a second "=", some server might find a name in it.
const DISPOSITION =
  /^content-disposition:\s*form-data;\s*name=(?:"[\w.-]+"|[\w.-]+)(?:;\s*filename=(?:"[^"]*"|[^\s";]+|[^";=\r\n]+))?(?:;\s*filename\*=[^\s";]+)?$/i;
const OTHER = /^(?:content-type|content-length|content-transfer-encoding):[^:\r\n]*$/i;

/** The boundary of a form whose type every server reads in the same way; null for another. */
export function plainBoundary(contentType: string): string | null {
  const found = FORM.exec(contentType.trim());
  return found?.[1] ?? found?.[2] ?? null;
}

/** Whether every server reads the same name in the headers of a part. Clients send no others. */
export function isPlainPart(headers: string | null): boolean {
  if (headers === null || headers.includes('\\')) return false;
  const [lines, dispositions] = [headers.split('\r\n').slice(1), headers.match(/content-disposition/gi) ?? []];
  const isKnown = lines.every((line) => DISPOSITION.test(line.trimEnd()) || OTHER.test(line));
  return headers.startsWith('\r\n') && isKnown && dispositions.length === 1;
}
