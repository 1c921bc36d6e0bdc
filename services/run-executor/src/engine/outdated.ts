/** The schema of profiles was changed since the run was prepared: it goes on when it is prepared by the new one. */
export class Outdated extends Error {
  override readonly name = 'Outdated';
}
