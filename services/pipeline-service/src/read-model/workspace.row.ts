import type { WorkspaceState } from '@penstock/contracts';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A workspace. Stays when it is deleted: nothing may be made in it any more. */
@Entity({ name: 'workspaces', schema: 'penstock' })
@Index('workspaces_organization', ['organization', 'id'])
export class WorkspaceRow {
  @PrimaryColumn('text') id!: string;
  @Column('text') organization!: string;
  @Column('boolean') deleted!: boolean;
  /** The newest state, as it is published. */
  @Column('json') state!: WorkspaceState;
}
