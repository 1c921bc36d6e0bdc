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
  /** Set only where an earlier fact was recorded at a later time: that time. */
  @Column('text', { name: 'effective_time', nullable: true }) effectiveTime!: string | null;
  @Column('text') actor!: string;
  @Column('text', { name: 'request_id' }) requestId!: string;
  @Column('text') causation!: string;
  /** The workspace or organization that the fact belongs to. */
  @Column('text') owner!: string;
  @Column('json') data!: object;
  /** State of the object after the fact, as it is published to other services. */
  @Column('json') state!: object;
  /** Hash in the chain of the owner. */
  @Column('text') hash!: string;
}

/** The reply to a command. */
@Entity({ name: 'replies', schema: SCHEMA })
export class ReplyRow {
  @PrimaryColumn('text', { name: 'command_id' }) commandId!: string;
  @Column('bigint') position!: string;
  @Column('json') reply!: object;
  @Column('timestamptz', { name: 'answered_at' }) answeredAt!: Date;
}
