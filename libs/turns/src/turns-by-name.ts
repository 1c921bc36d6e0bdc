import { FairTurns, type TurnRequest } from './fair-turns';

/** Turns that are kept for each name by itself, and only as long as somebody takes or awaits one. */
export class TurnsByName {
  private readonly known = new Map<string, FairTurns>();

  /** @param places of each name: tasks that run at a time, 1 or more. */
  constructor(private readonly places: number) {}

  /** As {@link FairTurns.take}, among those of the name. */
  async take<T>(name: string, asked: TurnRequest, task: () => Promise<T>): Promise<T> {
    const turns = this.known.get(name) ?? new FairTurns({ places: this.places });
    this.known.set(name, turns);
    try {
      return await turns.take(asked, task);
    } finally {
      if (turns.unused) this.known.delete(name);
    }
  }
}
