/** Too many tasks wait for a turn already. */
export class TurnRefused extends Error {
  override readonly name = 'TurnRefused';
}
