import type { DataKey, WorkspaceId } from '@penstock/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The data key of a workspace that is not deleted. It is not part of a view, since it does not follow from facts. */
@Entity({ name: 'data_keys', schema: 'penstock' })
export class DataKeyRow implements DataKey {
  @PrimaryColumn('text') workspace!: WorkspaceId;
  @Column('text') id!: string;
  @Column('text') wrapped!: string;
}
