import type { Connector, Connectors, Settings } from '@penstock/connectors';
import type {
  ConfigurationReplica,
  ConnectionId,
  ConnectionState,
  RunStep,
} from '@penstock/contracts';
import { SealBroken, type Seals } from '@penstock/runtime';
import { Invalid, parseJson } from '@penstock/schema';
import { WholeRunError } from '../engine/whole-run-error';

/** What connections are opened with. */
export interface ConnectionDependencies {
  readonly replica: Pick<ConfigurationReplica, 'connection'>;
  readonly connectors: Connectors;
  readonly seals: Seals;
}

/** A connection as it is now, with what it leads to. */
export interface OpenedConnection {
  readonly state: ConnectionState;
  readonly connector: Connector;
  readonly settings: Settings;
}

const opened = (
  { settings, workspace }: Pick<ConnectionState, 'settings' | 'workspace'>,
  seals: Seals,
  step: RunStep,
) => {
  try {
    return parseJson(seals.open(settings, workspace));
  } catch (error) {
    if (!(error instanceof SealBroken || error instanceof Invalid)) throw error;
    const message = 'the settings of the connection cannot be opened';
    throw new WholeRunError(step, 'InvalidSettings', message, { cause: error });
  }
};

/**
 * The connection with the settings that it has now.
 *
 * @param step at which a run fails that cannot use it.
 * @throws WholeRunError, and Invalid when the connector does not take the settings.
 */
export const openedConnection = (
  { replica, connectors, seals }: ConnectionDependencies,
  id: ConnectionId,
  step: RunStep,
): OpenedConnection => {
  const state = replica.connection(id);
  if (state === undefined)
    throw new WholeRunError(step, 'ConnectionNotExist', 'connection does not exist');
  const connector = connectors.get(state.connector);
  if (connector === undefined)
    throw new WholeRunError(step, 'ConnectorNotExist', 'connector does not exist');
  const settings = connector.checkSettings(opened(state, seals, step), state.role);
  return { state, connector, settings };
};
