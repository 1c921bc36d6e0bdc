import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

const SCHEMA = 'penstock';

/** A recorded fact. */
@Entity({ name: 'facts', schema: SCHEMA })
@Index('facts_stream_version', ['stream', 'version'], { unique: true })
export class FactRow {
  @PrimaryColumn('bigint') position!: string;
  @Column('text') stream!: string;
  @Column('integer') version!: number;
  @Column('text') type!: string;
  @Column('integer', { name: 'schema_version' }) schemaVersion!: number;
  @Column('text') time!: string;
  /** Where a fact before it was recorded at a later time: that time. */
  @Column('text', { name: 'effective_time', nullable: true }) effectiveTime!: string | null;
  @Column('text') actor!: string;
  @Column('text', { name: 'request_id' }) requestId!: string;
  @Column('text') causation!: string;
  /** The workspace or organization that it is of. */
  @Column('text') owner!: string;
  @Column('json') data!: object;
  /** Of the object, after the fact; what other services hold. */
  @Column('json') state!: object;
  /** In the chain of its owner. */
  @Column('text') hash!: string;
}

/** What a command was answered. */
@Entity({ name: 'replies', schema: SCHEMA })
export class ReplyRow {
  @PrimaryColumn('text', { name: 'command_id' }) commandId!: string;
  @Column('bigint') position!: string;
  @Column('json') reply!: object;
  @Column('timestamptz', { name: 'answered_at' }) answeredAt!: Date;
}
