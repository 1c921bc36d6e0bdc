import type { ResolutionState } from '@penstock/contracts';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** Whether the identities of a workspace are being resolved, where it was ever asked for. */
@Entity({ name: 'resolutions', schema: 'penstock' })
@Index('resolutions_waiting', ['id'], { where: 'live IS NULL AND waiting' })
export class ResolutionRow {
  /** Of the workspace. */
  @PrimaryColumn('text') id!: string;
  /** Id of the live resolution. */
  @Column('text', { nullable: true }) live!: string | null;
  /** Whether another one waits. */
  @Column('boolean') waiting!: boolean;
  /** The newest state, as it is published. */
  @Column('json') state!: ResolutionState;
}
