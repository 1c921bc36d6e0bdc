import { Refusal, REFUSALS } from '@penstock/contracts';
import { FileFault } from '@penstock/files';
import { unavailable } from '@penstock/platform';

/**
 * Does something with a file.
 *
 * @throws Refusal for a fault of the file or its storage; everything else as it is thrown.
 */
export const refusingFaults = async <T>(work: () => Promise<T> | T): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof FileFault)) throw error;
    const { kind, message } = error;
    if (kind === 'Unavailable' || kind === 'Refused') throw unavailable(`the storage: ${message}`);
    throw new Refusal(kind, { message: `${REFUSALS[kind].message}: ${message}` });
  }
};
