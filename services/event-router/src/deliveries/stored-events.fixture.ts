import { type ConnectionId, type WorkspaceId, writeAcceptedEvent } from '@penstock/contracts';
import { WORKSPACE } from '../testing/pipelines.fixture';

export const SOURCE = 'source000000001' as ConnectionId;

/** The time at which the n-th event was received. */
export const receivedAt = (n: number): string =>
  new Date(1_700_000_000_000 + n * 1_000).toISOString();

/** The log record of the n-th event; a property of it is called `receivedAt` too. */
export const bodyOf = (n: number, workspace: WorkspaceId = WORKSPACE): string =>
  writeAcceptedEvent({
    workspace,
    source: SOURCE,
    messageId: `m${n}`,
    seen: 1,
    integrations: null,
    digest: 'AAAAAAAAAAAAAAAA',
    eventText: `{"connectionId":"${SOURCE}","properties":{"receivedAt":"yesterday","n":${n}},"receivedAt":"${receivedAt(n)}","traits":{}}`,
  });
