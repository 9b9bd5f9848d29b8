/** The control API cannot do what was asked; the response is 400 with this message. */
export class ControlError extends Error {
  override readonly name = 'ControlError';
}
