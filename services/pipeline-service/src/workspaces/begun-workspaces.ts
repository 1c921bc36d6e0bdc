import { Refusal, type RequestContext, type WorkspaceId } from '@penstock/contracts';
import { Injectable } from '@nestjs/common';
import { EntityManager } from 'typeorm';

const BEGIN = `
  INSERT INTO penstock.begun_workspaces (id, organization, command_id) VALUES ($1, $2, $3)
  ON CONFLICT (id) DO NOTHING`;

/** Longer than a process creates one: a workspace that was begun before was left by a process that has ended. */
const LEFT_AFTER = '1 hour';

const GIVE_UP = `
  UPDATE penstock.begun_workspaces SET given_up = true
  WHERE id = $1 AND organization = $2 AND NOT EXISTS (SELECT FROM penstock.workspaces WHERE id = $1)
    AND (given_up OR command_id = $3 OR begun_at < now() - interval '${LEFT_AFTER}')
  RETURNING id`;

/** Marks that the statement of TypeORM gives as rows and count. */
type Changed = readonly [rows: readonly unknown[], count: number];

type Begun = Pick<RequestContext, 'organization' | 'commandId'>;

/**
 * Workspaces that are being created. Their warehouses have a marker before they are recorded: when the process ends in
 * between, nothing else tells that nobody has the warehouse.
 */
@Injectable()
export class BegunWorkspaces {
  constructor(private readonly db: EntityManager) {}

  /** Notes a workspace before its warehouse is initialised. */
  async begin(id: WorkspaceId, { organization, commandId }: Begun): Promise<void> {
    await this.db.query(BEGIN, [id, organization, commandId]);
  }

  /**
   * Whether a workspace that was begun is not recorded, and cannot be any more after this: an earlier try of the same
   * command, or one that was left long ago.
   */
  async giveUp(id: WorkspaceId, { organization, commandId }: Begun): Promise<boolean> {
    const [, count] = await this.db.query<Changed>(GIVE_UP, [id, organization, commandId]);
    return count > 0;
  }

  /** Ends the creation in the transaction that records it. @throws Refusal ServiceUnavailable when it was given up */
  async end(db: EntityManager, id: WorkspaceId): Promise<void> {
    const [, count] = await db.query<Changed>(
      'DELETE FROM penstock.begun_workspaces WHERE id = $1 AND NOT given_up',
      [id],
    );
    if (count === 0)
      throw new Refusal('ServiceUnavailable', { message: 'another request has the warehouse' });
  }

  /** Forgets a workspace whose warehouse is released. */
  async forget(id: WorkspaceId): Promise<void> {
    await this.db.query('DELETE FROM penstock.begun_workspaces WHERE id = $1', [id]);
  }
}
