import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DistributedInstallation } from './harness/distributed-installation';
import type { ServiceProcess } from './harness/service-process';

jest.setTimeout(240_000);

const PAGE = join(resolve(__dirname, '..', '..'), 'docs', 'metrics.md');

/** Service → the metrics of its table, each with its labels, in order. */
const documented = (): Map<string, string[]> => {
  const byService = new Map<string, string[]>();
  for (const section of readFileSync(PAGE, 'utf8').split(/^### /m).slice(1)) {
    const [service = ''] = section.split('\n', 1);
    const rows = [...section.matchAll(/^\| `(penstock_\w+)` *\| ([^|]*)\|/gm)];
    const metrics = rows.map(([, name, labels]) => {
      const named = [...(labels ?? '').matchAll(/`(\w+)`/g)].map(([, label]) => label);
      return `${name ?? ''} {${named.join(',')}}`;
    });
    byService.set(service, metrics.sort());
  }
  return byService;
};

/** The metrics that a service exposes, each with the labels of its values. */
const exposed = async ({ opsAddress }: ServiceProcess): Promise<Map<string, Set<string>>> => {
  const text = await (await fetch(`${opsAddress}/metrics`)).text();
  const found = new Map<string, Set<string>>();
  for (const [, name = ''] of text.matchAll(/^# TYPE (penstock_\w+) /gm)) {
    const labels = [...text.matchAll(new RegExp(`^${name}(?:_bucket)?\\{([^}]*)\\}`, 'gm'))];
    const names = labels.flatMap(([, pairs]) =>
      [...(pairs ?? '').matchAll(/(\w+)="/g)].map(([, label]) => label ?? ''),
    );
    found.set(name, new Set(names));
  }
  return found;
};

describe('the page of metrics', () => {
  let installation: DistributedInstallation;

  beforeAll(async () => {
    installation = await DistributedInstallation.start();
  });
  afterAll(() => installation.destroy());

  it('names the metrics of every service, with their labels', async () => {
    const page = documented();
    expect([...page.keys()].sort()).toEqual(installation.services.map(({ name }) => name).sort());
    for (const service of installation.services) {
      const metrics = await exposed(service);
      const named = page.get(service.name) ?? [];
      expect({ service: service.name, names: named.map((row) => row.split(' ')[0]) }).toEqual({
        service: service.name,
        names: [...metrics.keys()].sort(),
      });
      for (const row of named) {
        const [name = '', labels = ''] = row.split(' ');
        for (const label of metrics.get(name) ?? []) expect(`${labels} ${name}`).toContain(label);
      }
    }
  });
});
