/** An error below the API: a status with an empty body, and then the server closes the connection. */
export type HttpRefusal = { refusedStatus: number };

export function isRefusal(value: object): value is HttpRefusal {
  return 'refusedStatus' in value;
}
