import type { WorkspaceState } from '@penstock/contracts';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A workspace. The row stays when it is deleted, so that nothing can be created in it. */
@Entity({ name: 'workspaces', schema: 'penstock' })
@Index('workspaces_organization', ['organization', 'id'])
export class WorkspaceRow {
  @PrimaryColumn('text') id!: string;
  @Column('text') organization!: string;
  @Column('boolean') deleted!: boolean;
  /** The newest state, as it is published. */
  @Column('json') state!: WorkspaceState;
}
