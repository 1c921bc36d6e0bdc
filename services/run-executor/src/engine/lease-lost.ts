/** Another worker has the run, or may have it by now: this one must not record or write anything more. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
  constructor(message = 'another worker has the run') {
    super(message);
  }
}
