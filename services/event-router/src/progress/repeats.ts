import type { BaseKind, Repeat } from '../store/changes';

/** Events that go to nobody, as lanes below the live reader have to know. */
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

  /** What the event was when the live reader routed it. */
  kindOf(offset: number): BaseKind {
    const differs = this.byOffset.get(offset);
    if (differs === undefined) return 'New';
    if (differs === null) return 'Suppressed';
    return differs ? 'DifferentBody' : 'Duplicate';
  }

  /** What the store has to learn. @param from repeats below are of no use any more. */
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
