import { ConfigurationError, type PenstockConfig } from '@penstock/runtime';
import { Invalid } from '@penstock/schema';
import { createWarehouses, type Warehouses } from '@penstock/warehouses';

/**
 * The platforms of data warehouses; servers that the operator named are reached wherever they are.
 *
 * @param embeddedUrl a warehouse in the embedded database; absent: there is none.
 * @throws ConfigurationError
 */
export const openWarehouses = (
  { PENSTOCK_EGRESS_ALLOW, PENSTOCK_WAREHOUSE_URL }: PenstockConfig,
  embeddedUrl: string | undefined,
): Warehouses => {
  try {
    return createWarehouses({
      allow: PENSTOCK_EGRESS_ALLOW,
      trustedUrls: [PENSTOCK_WAREHOUSE_URL, embeddedUrl].filter((url) => url !== undefined),
    });
  } catch (error) {
    if (!(error instanceof Invalid)) throw error;
    throw new ConfigurationError(
      error.issues.map(({ path, message }) => `PENSTOCK_WAREHOUSE_URL: ${path} ${message}`),
    );
  }
};
