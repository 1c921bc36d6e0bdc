import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** An alert that is not deleted. */
@Entity({ name: 'alerts', schema: 'penstock' })
@Index('alerts_workspace', ['workspace', 'id'])
export class AlertRow {
  @PrimaryColumn('text') id!: string;
  @Column('text') workspace!: string;
}
