import type { Connector, Connectors } from '@penstock/connectors';
import { type ConnectionRole, Refusal } from '@penstock/contracts';
import { FILE_FORMATS } from '@penstock/files';

const IS_FORMAT = 'is a format of files: it is chosen in a pipeline of a storage';

const noConnector = (code: string): Refusal =>
  FILE_FORMATS.some((format) => format.code === code)
    ? new Refusal('BadRequest', { details: [{ path: '/connector', message: IS_FORMAT }] })
    : new Refusal('ConnectorNotExist', { kind: 'refused' });

/**
 * Finds the connector of a connection with this role.
 *
 * @throws Refusal ConnectorNotExist; BadRequest for a format of files, and when the connector does not have the role.
 */
export const connectorFor = (
  connectors: Connectors,
  code: string,
  role: ConnectionRole,
): Connector => {
  const connector = connectors.get(code);
  if (connector === undefined) throw noConnector(code);
  const description = role === 'Source' ? connector.asSource : connector.asDestination;
  if (description !== null) return connector;
  throw new Refusal('BadRequest', {
    details: [{ path: '/role', message: `connector ${code} cannot be a ${role.toLowerCase()}` }],
  });
};
