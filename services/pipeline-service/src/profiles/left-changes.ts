import { instant, Refusal, type WorkspaceId } from '@penstock/contracts';
import type { EntityManager } from 'typeorm';
import { WarehouseRow } from '../read-model/warehouse.row';
import type { ProfileChangeEndings } from '../warehouse/profile-change-endings';

/** A change that is younger is most likely being worked on. */
const YOUNG_MS = 3_000;

/** After a look at a warehouse that told nothing, it is asked again after this time. */
const PATIENCE_MS = 10_000;

/** Warehouses that are asked at a time: those that are away take long. */
const AT_ONCE = 8;

/** Ends changes of schemas of profiles that their workers have left, so that nothing waits for them. */
export class LeftChanges {
  /** Workspace → when it is asked again, of `performance.now()`. */
  private readonly asked = new Map<string, number>();

  constructor(
    private readonly db: EntityManager,
    private readonly endings: Pick<ProfileChangeEndings, 'settle'>,
  ) {}

  /** Ends those that can be ended now. @returns `false`: the rest is for a later look. */
  async look(): Promise<boolean> {
    const before = instant(new Date(Date.now() - YOUNG_MS));
    const rows = await this.db
      .createQueryBuilder(WarehouseRow, 'warehouse')
      .select('warehouse.id')
      .where(`warehouse.state->'profileChange'->>'startedAt' IS NOT NULL`)
      .andWhere(`warehouse.state->'profileChange'->>'endedAt' IS NULL`)
      .andWhere(`warehouse.state->'profileChange'->>'startedAt' < :before`, { before })
      .getMany();
    const open = new Set(rows.map(({ id }) => id));
    for (const id of this.asked.keys()) if (!open.has(id)) this.asked.delete(id);
    const nowMs = performance.now();
    const due = [...open].filter((id) => (this.asked.get(id) ?? 0) <= nowMs).slice(0, AT_ONCE);
    await Promise.all(due.map((id) => this.settle(id as WorkspaceId)));
    return false;
  }

  private async settle(id: WorkspaceId): Promise<void> {
    try {
      await this.endings.settle(id);
    } catch (error) {
      // It is being worked on, or the warehouse is away.
      if (!(error instanceof Refusal)) throw error;
    } finally {
      this.asked.set(id, performance.now() + PATIENCE_MS);
    }
  }
}
