/** Why one event of a request is not accepted. */
export interface Rejection {
  readonly code: 'InvalidEvent' | 'EventTooLarge';
  readonly message: string;
  /** JSON pointer within the event, `''` for the event itself. */
  readonly path: string;
}

export const invalid = (path: string, message: string): Rejection => ({
  code: 'InvalidEvent',
  message,
  path,
});
