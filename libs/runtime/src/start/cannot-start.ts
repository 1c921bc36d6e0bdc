/** A start failed for a reason that the operator can remove. The message is one line: what, where, and what to do. */
export class CannotStart extends Error {
  override readonly name: string = 'CannotStart';
}
