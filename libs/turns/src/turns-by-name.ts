import { FairTurns, type FairTurnsLimits, type TurnRequest } from './fair-turns';

/** Separate turns for each name, kept only while a task of the name runs or waits. */
export class TurnsByName {
  private readonly known = new Map<string, FairTurns>();

  /** @param limits of each name. */
  constructor(private readonly limits: FairTurnsLimits) {}

  /** Like {@link FairTurns.take}, among the tasks of the name. */
  async take<T>(name: string, request: TurnRequest, task: () => Promise<T>): Promise<T> {
    const turns = this.known.get(name) ?? new FairTurns(this.limits);
    this.known.set(name, turns);
    try {
      return await turns.take(request, task);
    } finally {
      if (turns.unused) this.known.delete(name);
    }
  }
}
