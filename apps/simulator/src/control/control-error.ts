/** The control API was asked for something that cannot be; answered with 400 and these words. */
export class ControlError extends Error {
  override readonly name = 'ControlError';
}
