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
