import {
  type ConnectionFact,
  type ConnectionState,
  Refusal,
  type RequestContext,
} from '@penstock/contracts';
import type { Reading } from '@penstock/event-sourcing';
import type { EntityManager } from 'typeorm';
import { checkVersion } from '../command-handling/check-version';
import { load, type Loaded } from '../command-handling/decide-on';
import { type Connection, connectionDecider, connectionStream } from '../domain/connection.decide';

export type ExistingConnection = Loaded<Connection, ConnectionFact> & {
  readonly connection: ConnectionState;
};

/**
 * Loads a connection of the workspace and checks the version that the caller expects.
 *
 * @throws Refusal ConnectionNotExist, Conflict
 */
export const existingConnection = async (
  reading: Pick<Reading<EntityManager>, 'read'>,
  id: string,
  context: Pick<RequestContext, 'workspace' | 'expectedVersion'>,
): Promise<ExistingConnection> => {
  const own = await load(reading, connectionDecider, connectionStream(id));
  if (own.state === null || own.state.deleted || own.state.workspace !== context.workspace)
    throw new Refusal('ConnectionNotExist');
  checkVersion(context, own.version);
  return { ...own, connection: own.state };
};
