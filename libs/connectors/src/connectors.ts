import { brevoConnector } from './brevo/brevo-connector';
import type { Connector } from './connector/connector';
import { clickhouseConnector } from './databases/clickhouse-connector';
import { mysqlConnector } from './databases/mysql-connector';
import { postgresqlConnector } from './databases/postgresql-connector';
import { snowflakeConnector } from './databases/snowflake-connector';
import { dummyConnector } from './dummy/dummy-connector';
import type { DummyStore } from './dummy/dummy-store';
import { googleAnalyticsConnector } from './google-analytics/google-analytics-connector';
import { httpConnector } from './http/http-connector';
import { hubspotConnector } from './hubspot/hubspot-connector';
import { klaviyoConnector } from './klaviyo/klaviyo-connector';
import { mailchimpConnector } from './mailchimp/mailchimp-connector';
import { mixpanelConnector } from './mixpanel/mixpanel-connector';
import { posthogConnector } from './posthog/posthog-connector';
import { rudderstackConnector } from './rudderstack/rudderstack-connector';
import { sdkConnectors } from './sdk/sdk-connectors';
import { segmentConnector } from './segment/segment-connector';
import { filesystemConnector } from './storages/filesystem/filesystem-connector';
import { s3Connector } from './storages/s3/s3-connector';
import { sftpConnector } from './storages/sftp/sftp-connector';
import { httpGetConnector } from './storages/web-server/http-get-connector';
import { httpPostConnector } from './storages/web-server/http-post-connector';
import { stripeConnector } from './stripe/stripe-connector';
import { webhookConnector } from './webhook/webhook-connector';

/** The connectors of this installation. Abstract class: the port and its DI token in one. */
export abstract class Connectors {
  /** In the order in which they are shown. */
  abstract readonly list: readonly Connector[];
  abstract get(code: string): Connector | undefined;
}

/** Which connectors there are in an installation. */
export interface ConnectorsOptions {
  /** Where the test application keeps what it takes; absent: there is no test application. */
  readonly dummyStore?: DummyStore;
  /** Folder whose files the storage `filesystem` reads and writes; absent: there is no such storage. */
  readonly filesRoot?: string | undefined;
  /** Codes of those that may be used; absent: all that there are. */
  readonly enabled?: readonly string[];
}

/**
 * All connectors of this release, or those that are enabled.
 *
 * @throws RangeError naming an enabled code that no connector has.
 */
export const createConnectors = ({
  dummyStore,
  filesRoot,
  enabled,
}: ConnectorsOptions): Connectors => {
  const all = [
    ...sdkConnectors,
    webhookConnector,
    segmentConnector,
    rudderstackConnector,
    httpConnector,
    posthogConnector,
    mixpanelConnector,
    googleAnalyticsConnector,
    klaviyoConnector,
    brevoConnector,
    mailchimpConnector,
    hubspotConnector,
    stripeConnector,
    ...(filesRoot === undefined ? [] : [filesystemConnector(filesRoot)]),
    s3Connector,
    sftpConnector,
    httpGetConnector,
    httpPostConnector,
    postgresqlConnector,
    mysqlConnector,
    clickhouseConnector,
    snowflakeConnector,
    ...(dummyStore === undefined ? [] : [dummyConnector(dummyStore)]),
  ];
  const byCode = new Map(all.map((connector) => [connector.code, connector]));
  const unknown = enabled?.find((code) => !byCode.has(code));
  if (unknown !== undefined) throw new RangeError(`no connector has the code ${unknown}`);
  const list = all.filter(({ code }) => enabled?.includes(code) ?? true);
  const listed = new Map(list.map((connector) => [connector.code, connector]));
  return { list, get: (code) => listed.get(code) };
};
