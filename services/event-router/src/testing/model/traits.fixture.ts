import type { Simulation } from './simulation.fixture';

/** Optional features of a simulation. Most runs have few, so that each feature is tested by itself too. */
export interface Traits {
  /** No incidents that excuse repetitions: no crashes, frozen processes or faults of the database. */
  readonly isOrderly: boolean;
  /** Two workspaces instead of one. */
  readonly hasWorkspaces: boolean;
  /** Some pipelines have functions. */
  readonly hasFunctions: boolean;
  /** Users are suppressed, and suppressions end. */
  readonly suppresses: boolean;
  /** Events opt out of destinations. */
  readonly optsOut: boolean;
  /** The log has records that no gateway wrote. */
  readonly hasStrangers: boolean;
  /** Some offsets of the log have no record. */
  readonly hasHoles: boolean;
  /** Retention removes records. */
  readonly forgets: boolean;
  /** Clocks of processes are stepped by hours. */
  readonly stepsClocks: boolean;
  /** Destinations are deleted. */
  readonly deletes: boolean;
  /** Some destinations have a short `maxAgeMs`. */
  readonly isImpatient: boolean;
  /** The setting `ordering` of destinations changes. */
  readonly reorders: boolean;
  /** Destinations reject whole requests, and dead letters are redriven. */
  readonly redrives: boolean;
  /** Past events are replayed and delivered again. */
  readonly replays: boolean;
}

export const traitsOf = (simulation: Simulation): Traits => ({
  isOrderly: simulation.chance(0.3),
  hasWorkspaces: simulation.chance(0.5),
  hasFunctions: simulation.chance(0.3),
  suppresses: simulation.chance(0.25),
  optsOut: simulation.chance(0.25),
  hasStrangers: simulation.chance(0.3),
  hasHoles: simulation.chance(0.15),
  forgets: simulation.chance(0.25),
  stepsClocks: simulation.chance(0.25),
  deletes: simulation.chance(0.2),
  isImpatient: simulation.chance(0.15),
  reorders: simulation.chance(0.15),
  redrives: simulation.chance(0.25),
  // Without a random number, so that the seeds of other runs stay what they were.
  replays: simulation.seed % 4 === 3,
});
