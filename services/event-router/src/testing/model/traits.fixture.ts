import type { Simulation } from './simulation.fixture';

/** What there is in a simulation beside what all have. Most have little of it, so that each thing is seen by itself too. */
export interface Traits {
  /** Nothing fails that would excuse a repetition: no crash, no process that stands still, no fault of the database. */
  readonly isOrderly: boolean;
  /** Two workspaces instead of one. */
  readonly hasWorkspaces: boolean;
  /** Some pipelines have functions. */
  readonly hasFunctions: boolean;
  /** Users are suppressed, and are so no longer. */
  readonly suppresses: boolean;
  /** Events keep themselves from destinations. */
  readonly optsOut: boolean;
  /** The log holds records that no gateway wrote. */
  readonly hasStrangers: boolean;
  /** Some offsets of the log hold no record. */
  readonly hasHoles: boolean;
  /** The log forgets what is old. */
  readonly forgets: boolean;
  /** Clocks of processes are set by hours. */
  readonly stepsClocks: boolean;
  /** Destinations are deleted. */
  readonly deletes: boolean;
  /** Some destinations keep trying for a short time only. */
  readonly isImpatient: boolean;
  /** Destinations begin and cease to keep an order. */
  readonly reorders: boolean;
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
});
