import {
  type ConfigurationState,
  ConfigurationReplica,
  type ConnectionId,
  type OrganizationId,
  type PipelineId,
  type WorkspaceId,
} from '@penstock/contracts';
import { lacksDemo } from './demo';

const workspaceId = 'w1' as WorkspaceId;

const workspace = (changes: object = {}): ConfigurationState => ({
  kind: 'workspace',
  id: workspaceId,
  organization: 'o1' as OrganizationId,
  name: 'Default',
  version: 1,
  deleted: false,
  ...changes,
});

const connection = (name: string, changes: object = {}): ConfigurationState => ({
  kind: 'connection',
  id: `id of ${name}` as ConnectionId,
  workspace: workspaceId,
  name,
  connector: 'dummy',
  connectorType: 'Application',
  role: 'Destination',
  sendingMode: 'Server',
  settings: '',
  version: 1,
  deleted: false,
  writeKeys: [],
  links: [],
  ...changes,
});

const pipelineOn = (name: string, changes: object = {}): ConfigurationState => ({
  kind: 'pipeline',
  id: 'p1' as PipelineId,
  workspace: workspaceId,
  connection: `id of ${name}` as ConnectionId,
  target: 'Event',
  eventType: 'send_event',
  name: 'Carts',
  enabled: true,
  filter: null,
  transformation: null,
  outSchema: null,
  version: 1,
  deleted: false,
  ...changes,
});

const [application, source] = [connection('Demo application'), connection('Demo source')];
const deleted = { deleted: true, version: 2 };

it.each<[title: string, states: ConfigurationState[], lacks: boolean]>([
  ['nothing was made', [workspace()], true],
  ['only its application was made', [workspace(), application], true],
  ['its pipeline is missing', [workspace(), application, source], true],
  ['it is whole', [workspace(), application, source, pipelineOn('Demo application')], false],
  [
    'its pipeline was deleted',
    [workspace(), application, source, pipelineOn('Demo application', deleted)],
    false,
  ],
  ['only its files were made', [workspace(), connection('Demo files')], true],
  [
    'its files are imported already',
    [workspace(), application, connection('Demo files'), pipelineOn('Demo files')],
    true,
  ],
  ['its files were deleted', [workspace(), connection('Demo files', deleted)], false],
  ['its source was deleted', [workspace(), application, connection('Demo source', deleted)], false],
  ['something else was made', [workspace(), connection('Shop')], false],
  ['something else was made and deleted', [workspace(), connection('Shop', deleted)], false],
  ['the first workspace was deleted', [workspace(deleted), workspace({ id: 'w2' })], false],
  [
    'something was made in another workspace',
    [workspace(), connection('Shop', { workspace: 'w2' })],
    true,
  ],
])('%s', (_, states, lacks) => {
  const replica = new ConfigurationReplica();
  states.forEach((state, index) => {
    replica.apply({ position: index + 1, state });
  });
  expect(lacksDemo(replica)).toBe(lacks);
});
