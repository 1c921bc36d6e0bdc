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
  @Column('text') actor!: string;
  @Column('text', { name: 'request_id' }) requestId!: string;
  @Column('text') causation!: string;
  /** The workspace or organization that it is of. */
  @Column('text') owner!: string;
  @Column('json') data!: object;
  /** Of the object, after the fact; what other services hold. */
  @Column('json') state!: object;
}

/** What a command was answered. */
@Entity({ name: 'replies', schema: SCHEMA })
export class ReplyRow {
  @PrimaryColumn('text', { name: 'command_id' }) commandId!: string;
  @Column('bigint') position!: string;
  @Column('json') reply!: object;
  @Column('timestamptz', { name: 'answered_at' }) answeredAt!: Date;
}
