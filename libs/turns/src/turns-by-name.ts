import { FairTurns, type TurnRequest } from './fair-turns';

/** Separate turns for each name, kept only while a task of the name runs or waits. */
export class TurnsByName {
  private readonly known = new Map<string, FairTurns>();

  /** @param places tasks of each name that run concurrently, 1 or more. */
  constructor(private readonly places: number) {}

  /** Like {@link FairTurns.take}, among the tasks of the name. */
  async take<T>(name: string, request: TurnRequest, task: () => Promise<T>): Promise<T> {
    const turns = this.known.get(name) ?? new FairTurns({ places: this.places });
    this.known.set(name, turns);
    try {
      return await turns.take(request, task);
    } finally {
      if (turns.unused) this.known.delete(name);
    }
  }
}
