import type { BaseKind, Repeat } from '../store/changes';

/** Offsets of events that are delivered to nobody (duplicates, suppressed), which detached lanes must skip. */
export class Repeats {
  private readonly byOffset: Map<number, boolean | null>;
  private added: Repeat[] = [];

  constructor(restored: readonly Repeat[]) {
    this.byOffset = new Map(restored.map(({ offset, differs }) => [offset, differs]));
  }

  add(offset: number, kind: Exclude<BaseKind, 'New'>): void {
    const differs = kind === 'Suppressed' ? null : kind === 'DifferentBody';
    this.byOffset.set(offset, differs);
    this.added.push({ offset, differs });
  }

  /** How the live reader classified the event. */
  kindOf(offset: number): BaseKind {
    const differs = this.byOffset.get(offset);
    if (differs === undefined) return 'New';
    if (differs === null) return 'Suppressed';
    return differs ? 'DifferentBody' : 'Duplicate';
  }

  /** The additions since the last call, for the store. @param from repeats below this offset are dropped. */
  take(from: number): readonly Repeat[] {
    for (const offset of this.byOffset.keys()) {
      if (offset >= from) break;
      this.byOffset.delete(offset);
    }
    const added = this.added.filter(({ offset }) => offset >= from);
    this.added = [];
    return added;
  }
}
