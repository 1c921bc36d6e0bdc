import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { type ConnectionState, nextSlot, type PipelineState } from '@penstock/contracts';
import { AlertRow } from './alert.row';
import { ResolutionRow } from './resolution.row';
import { RunControlRow } from './run-control.row';
import { type View, viewOf } from './view';
import { WarehouseRow } from './warehouse.row';
import { WorkspaceRow } from './workspace.row';

const SCHEMA = 'penstock';

/** A connection that is not deleted. */
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

/** A pipeline that is not deleted. */
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

/** All views: a change writes them, the audit rebuilds them. */
export const VIEWS: readonly View[] = [
  viewOf({
    kind: 'workspace',
    row: WorkspaceRow,
    object: 'id',
    rowsOf: (state) => {
      const { id, organization, deleted } = state;
      return [{ id, organization, deleted, state }];
    },
  }),
  viewOf({
    kind: 'connection',
    row: ConnectionRow,
    object: 'id',
    rowsOf: (state) => (state.deleted ? [] : [{ id: state.id, workspace: state.workspace, state }]),
  }),
  viewOf({
    kind: 'connection',
    row: LinkRow,
    object: 'source',
    rowsOf: ({ id, links }) => links.map((destination) => ({ source: id, destination })),
  }),
  viewOf({
    kind: 'pipeline',
    row: PipelineRow,
    object: 'id',
    rowsOf: (state) => {
      const { id, workspace, connection, enabled, deleted } = state;
      return deleted ? [] : [{ id, workspace, connection, enabled, state }];
    },
  }),
  viewOf({
    kind: 'warehouse',
    row: WarehouseRow,
    object: 'id',
    rowsOf: (state) => [{ id: state.id, state }],
  }),
  viewOf({
    kind: 'runs',
    row: RunControlRow,
    object: 'id',
    rowsOf: (state) => {
      const { id, workspace, live } = state;
      return [{ id, workspace, live: live?.run ?? null, due: nextSlot(state), state }];
    },
  }),
  viewOf({
    kind: 'resolution',
    row: ResolutionRow,
    object: 'id',
    rowsOf: (state) => {
      const { id, live, waiting } = state;
      return [{ id, live: live?.resolution ?? null, waiting: waiting !== null, state }];
    },
  }),
  viewOf({
    kind: 'alert',
    row: AlertRow,
    object: 'id',
    rowsOf: ({ id, workspace, deleted }) => (deleted ? [] : [{ id, workspace }]),
  }),
];
