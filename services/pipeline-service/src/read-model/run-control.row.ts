import type { RunControlState } from '@penstock/contracts';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** The schedule and the live run of a pipeline that was scheduled or run before. */
@Entity({ name: 'run_controls', schema: 'penstock' })
@Index('run_controls_due', ['due'], { where: 'due IS NOT NULL' })
@Index('run_controls_live', ['workspace'], { where: 'live IS NOT NULL' })
export class RunControlRow {
  /** Of the pipeline. */
  @PrimaryColumn('text') id!: string;
  @Column('text') workspace!: string;
  /** Id of the live run. */
  @Column('text', { nullable: true }) live!: string | null;
  /** The next slot, as a time that sorts as a text. */
  @Column('text', { nullable: true }) due!: string | null;
  /** The newest state, as it is published. */
  @Column('json') state!: RunControlState;
}
