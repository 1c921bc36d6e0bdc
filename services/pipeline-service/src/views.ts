import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { ConnectionState, PipelineState } from '@penstock/contracts';

const SCHEMA = 'penstock';

/** What is answered of a connection; gone when it is deleted. */
@Entity({ name: 'connections', schema: SCHEMA })
@Index('connections_workspace', ['workspace', 'id'])
export class ConnectionRow {
  @PrimaryColumn('text') id!: string;
  @Column('text') workspace!: string;
  /** The newest state, as it is published. */
  @Column('json') state!: ConnectionState;
}

/** A link, for finding the sources of a destination. */
@Entity({ name: 'links', schema: SCHEMA })
@Index('links_destination', ['destination'])
export class LinkRow {
  @PrimaryColumn('text') source!: string;
  @PrimaryColumn('text') destination!: string;
}

/** What is answered of a pipeline; gone when it is deleted. */
@Entity({ name: 'pipelines', schema: SCHEMA })
@Index('pipelines_connection', ['connection', 'id'])
@Index('pipelines_workspace', ['workspace', 'id'])
export class PipelineRow {
  @PrimaryColumn('text') id!: string;
  @Column('text') workspace!: string;
  @Column('text') connection!: string;
  @Column('boolean') enabled!: boolean;
  /** The newest state, as it is published. */
  @Column('json') state!: PipelineState;
}
