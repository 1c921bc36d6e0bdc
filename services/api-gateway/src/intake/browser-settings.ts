import type { IncomingMessage } from 'node:http';
import type { ConnectionState } from '@penstock/contracts';

/** Determines the scheme that the client used: from `X-Forwarded-Proto`, else from the socket. */
const schemeOf = ({ socket, headers }: IncomingMessage): string => {
  const forwarded = headers['x-forwarded-proto'];
  if (forwarded === 'https' || forwarded === 'http') return forwarded;
  return 'encrypted' in socket ? 'https' : 'http';
};

/**
 * Settings with which Segment's browser SDK starts and sends to this gateway. It posts to
 * `<protocol>://<apiHost>/<letter>`. Source: segmentio/analytics-next, packages/browser, plugins/segmentio.
 */
export const segmentSettings = (writeKey: string, request: IncomingMessage): string =>
  JSON.stringify({
    integrations: {
      'Segment.io': {
        apiKey: writeKey,
        apiHost: `${request.headers.host ?? 'localhost'}/v1`,
        protocol: schemeOf(request),
        unbundledIntegrations: [],
        addBundledMetadata: true,
        maybeBundledConfigIds: {},
      },
    },
    plan: {
      track: { __default: { enabled: true, integrations: {} } },
      identify: { __default: { enabled: true } },
      group: { __default: { enabled: true } },
    },
    edgeFunction: {},
    analyticsNextEnabled: true,
    middlewareSettings: {},
    enabledMiddleware: {},
    metrics: { sampleRate: 0 },
    legacyVideoPluginsEnabled: false,
    remotePlugins: [],
  });

/**
 * Settings with which RudderStack's browser SDK starts; the embedding page configures where it sends. Source:
 * rudderlabs/rudder-sdk-js, packages/analytics-js, ConfigManager (`isValidSourceConfig`).
 */
export const rudderstackSettings = ({ id, name, workspace }: ConnectionState): string =>
  JSON.stringify({
    source: {
      id,
      name,
      workspaceId: workspace,
      enabled: true,
      config: {
        statsCollection: { errors: { enabled: false }, metrics: { enabled: false } },
      },
      connections: [],
      destinations: [],
    },
  });
