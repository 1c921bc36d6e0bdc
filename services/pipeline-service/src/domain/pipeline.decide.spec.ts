import type {
  ConnectionId,
  NewPipeline,
  PipelineFact,
  PipelineId,
  WorkspaceId,
} from '@penstock/contracts';
import { specify } from '@penstock/event-sourcing';
import { pipelineDecider } from './pipeline.decide';

const { given } = specify(pipelineDecider);

const definition = {
  name: 'Orders',
  enabled: true,
  filter: null,
  transformation: null,
  outSchema: null,
};
const pipeline: NewPipeline = {
  ...definition,
  id: 'p1' as PipelineId,
  workspace: 'w1' as WorkspaceId,
  connection: 'd1' as ConnectionId,
  target: 'Event',
  eventType: 'send_event',
};
const COLUMNS = { userID: 'id', updatedAt: 'changed', updatedAtFormat: null };
const created: PipelineFact = { type: 'PipelineCreated', data: pipeline };
const statusSet = (enabled: boolean): PipelineFact => ({
  type: 'PipelineStatusSet',
  data: { enabled },
});
const deleted: PipelineFact = { type: 'PipelineDeleted', data: {} };

it('is created once', () => {
  given().when({ type: 'CreatePipeline', pipeline }).then(created);
  given(created).when({ type: 'CreatePipeline', pipeline }).thenNothing();
});

describe('updating', () => {
  it('replaces the definition', () => {
    const renamed = { ...definition, name: 'All orders', enabled: false };
    given(created)
      .when({ type: 'UpdatePipeline', definition: renamed })
      .then({ type: 'PipelineUpdated', data: renamed });
  });

  it('keeps the status when none is given', () => {
    const { enabled: _, ...rest } = definition;
    given(created, statusSet(false))
      .when({ type: 'UpdatePipeline', definition: { ...rest, name: 'New' } })
      .then({ type: 'PipelineUpdated', data: { ...definition, name: 'New', enabled: false } });
  });

  it('records nothing when nothing changes', () => {
    given(created).when({ type: 'UpdatePipeline', definition }).thenNothing();
  });
});

describe('updating an import', () => {
  const imports = {
    source: { kind: 'database', query: 'SELECT 1', columns: COLUMNS },
    inSchema: '{"in":1}',
    incremental: true,
  } as const;
  const transformation = { mapping: { email: 'email' }, function: null };
  const imported = { ...definition, transformation, outSchema: '{"out":1}', imports };
  const start: PipelineFact = {
    type: 'PipelineCreated',
    data: { ...pipeline, ...imported, target: 'User', eventType: null },
  };

  it('records nothing when nothing changes', () => {
    given(start).when({ type: 'UpdatePipeline', definition: imported }).thenNothing();
  });

  it.each([
    { ...imports, incremental: false },
    { ...imports, inSchema: '{"in":2}' },
    { ...imports, source: { ...imports.source, query: 'SELECT 2' } },
    {
      ...imports,
      source: { ...imports.source, columns: { ...COLUMNS, updatedAtFormat: 'ISO8601' } },
    },
  ])('replaces what it reads: %j', (changed) => {
    const data = { ...imported, imports: changed };
    given(start)
      .when({ type: 'UpdatePipeline', definition: data })
      .then({ type: 'PipelineUpdated', data });
  });
});

it('setting the present status records nothing', () => {
  given(created).when({ type: 'SetPipelineStatus', enabled: true }).thenNothing();
  given(created).when({ type: 'SetPipelineStatus', enabled: false }).then(statusSet(false));
});

it('is deleted once', () => {
  given(created).when({ type: 'DeletePipeline' }).then(deleted);
});

it.each([
  { type: 'UpdatePipeline', definition },
  { type: 'SetPipelineStatus', enabled: true },
  { type: 'DeletePipeline' },
] as const)('$type is refused when it is not there', (command) => {
  given().when(command).thenRefused('PipelineNotExist');
  given(created, deleted).when(command).thenRefused('PipelineNotExist');
});
