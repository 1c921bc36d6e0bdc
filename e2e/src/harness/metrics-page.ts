import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { ServiceProcess } from './service-process';

const PAGE = join(resolve(__dirname, '..', '..', '..'), 'docs', 'metrics.md');

/** A metric with the names of its labels. */
export interface Metric {
  readonly name: string;
  readonly labels: readonly string[];
}

const byName = (one: Metric, other: Metric): number => (one.name < other.name ? -1 : 1);

/** The metrics that the page names, by service, in the order of their names. */
export const documentedMetrics = (): ReadonlyMap<string, readonly Metric[]> =>
  new Map(
    readFileSync(PAGE, 'utf8')
      .split(/^### /m)
      .slice(1)
      .map((section) => {
        const [service = ''] = section.split('\n', 1);
        const rows = [...section.matchAll(/^\| `(penstock_\w+)` *\| ([^|]*)\|/gm)];
        const metrics = rows.map(([, name = '', labels = '']) => ({
          name,
          labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label = '']) => label),
        }));
        return [service, metrics.sort(byName)];
      }),
  );

/** The metrics that a service exposes, with the labels of their values, in the order of their names. */
export const exposedMetrics = async ({
  opsAddress,
}: ServiceProcess): Promise<readonly Metric[]> => {
  const text = await (await fetch(`${opsAddress}/metrics`)).text();
  const metrics = [...text.matchAll(/^# TYPE (penstock_\w+) /gm)].map(([, name = '']) => {
    const values = [...text.matchAll(new RegExp(`^${name}(?:_bucket)?\\{([^}]*)\\}`, 'gm'))];
    const labels = values.flatMap(([, pairs = '']) =>
      [...pairs.matchAll(/(\w+)="/g)].map(([, label = '']) => label),
    );
    return { name, labels: [...new Set(labels)] };
  });
  return metrics.sort(byName);
};
