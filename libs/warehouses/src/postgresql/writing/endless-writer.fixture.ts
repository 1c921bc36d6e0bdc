import { parseJson } from '@penstock/schema';
import { WarehouseFault } from '../../platform/warehouse';
import { batchOf, imported, OPTIONS } from '../../platform/warehouse-writer.contract';
import { postgresqlPlatform } from '../platform/postgresql-platform';

/**
 * Run as a process: writes batch after batch under an epoch, each over the same identities at a later time, and prints
 * a line for each; ends with the kind of the fault.
 */
const run = async (settingsText: string, epoch: number): Promise<void> => {
  const platform = postgresqlPlatform({ allow: ['127.0.0.0/8'] });
  const settings = platform.checkSettings(parseJson(settingsText));
  const signal = AbortSignal.timeout(120_000);
  const writers = await platform.openWriter(settings, OPTIONS, signal);
  const writer = await writers.begin({ role: 'run run1', epoch });
  for (let batch = 0; ; batch += 1) {
    const updates = Array.from({ length: 2_000 }, (_, at) =>
      imported(`u${at}`, batch + 1, { email: `epoch ${epoch}` }),
    );
    await writer.write(batchOf(updates, { batch }));
    process.stdout.write(`${batch}\n`);
  }
};

run(process.argv[2] ?? '', Number(process.argv[3])).catch((error: unknown) => {
  process.stdout.write(`${error instanceof WarehouseFault ? error.kind : String(error)}\n`);
  process.exit(0);
});
