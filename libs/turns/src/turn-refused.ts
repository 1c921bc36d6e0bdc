/** So many wait for a turn already that one more may not. */
export class TurnRefused extends Error {
  override readonly name = 'TurnRefused';
}
