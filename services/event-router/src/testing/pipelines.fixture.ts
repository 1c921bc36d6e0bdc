import type {
  ConnectionId,
  PipelineId,
  SendingPipelineState,
  WorkspaceId,
} from '@penstock/contracts';

export const WORKSPACE = 'workspace000001' as WorkspaceId;
export const DESTINATION = 'destination0001' as ConnectionId;
const PIPELINE = 'pipeline0000001' as PipelineId;

export const pipelineState = (
  members: Partial<SendingPipelineState> = {},
): SendingPipelineState => ({
  kind: 'pipeline',
  id: PIPELINE,
  workspace: WORKSPACE,
  connection: DESTINATION,
  target: 'Event',
  eventType: 'send_event',
  name: 'All events',
  enabled: true,
  filter: null,
  transformation: null,
  outSchema: null,
  version: 1,
  deleted: false,
  ...members,
});

/** A pipeline with a function whose result `properties` is the body of the request. */
export const functionState = (
  source: string,
  members: Partial<SendingPipelineState> = {},
  language: 'JavaScript' | 'Python' = 'JavaScript',
): SendingPipelineState =>
  pipelineState({
    eventType: 'send_values',
    transformation: {
      mapping: null,
      function: {
        source,
        language,
        preserveJSON: false,
        inPaths: ['anonymousId', 'event', 'messageId', 'properties'],
        outPaths: ['properties'],
      },
    },
    outSchema:
      '{"kind":"object","properties":[{"name":"properties","type":{"kind":"json"},"createRequired":true}]}',
    ...members,
  });

/** A filter that matches events of one name. */
export const onlyEvent = (name: string): string =>
  JSON.stringify({
    logical: 'and',
    conditions: [{ property: 'event', operator: 'is', values: [name] }],
  });
