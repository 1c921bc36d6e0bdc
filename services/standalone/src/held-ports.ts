import { holdPort, type PenstockConfig, type Shutdown } from '@penstock/runtime';

/** The ports of a process, taken until their servers listen. */
export interface HeldPorts {
  releaseGateway(): Promise<void>;
  releaseOps(): Promise<void>;
}

/** Takes the ports of the gateway and of the operations server. @throws CannotStart */
export const heldPorts = async (
  config: PenstockConfig,
  shutdown: Pick<Shutdown, 'onClose'>,
): Promise<HeldPorts> => {
  const releaseGateway = await holdPort({
    port: config.PENSTOCK_PORT,
    host: config.PENSTOCK_HOST,
    variable: 'PENSTOCK_PORT',
  });
  shutdown.onClose('port of the gateway', releaseGateway);
  const releaseOps = await holdPort({
    port: config.PENSTOCK_OPS_PORT,
    host: config.PENSTOCK_OPS_HOST,
    variable: 'PENSTOCK_OPS_PORT',
  });
  shutdown.onClose('port of the operations server', releaseOps);
  return { releaseGateway, releaseOps };
};
