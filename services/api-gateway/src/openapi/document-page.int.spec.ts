import { GatewayStand } from '../testing/gateway.fixture';
import { openPage, type OpenPage } from '@penstock/test-servers';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

jest.setTimeout(120_000);

/** The operations that are tried, by their paths: the page resolves all operations before it displays one. */
const TRIED = ['/v1/pipelines/{id}', '/v1/connections/{id}/users'];
const IS_LONG = process.env['PENSTOCK_TEST_LONG'] === '1';

const stand = new GatewayStand();

let page: OpenPage;

interface Document {
  readonly paths: Record<string, object>;
  readonly components: Record<string, Record<string, object>>;
}

/** The components that a part of the document refers to, themselves and by others. */
const componentsOf = (part: object, { components }: Document): Document['components'] => {
  const found: Record<string, Record<string, object>> = {};
  const find = (within: object): void => {
    const refs = JSON.stringify(within).matchAll(/"#\/components\/(\w+)\/([^"]+)"/g);
    for (const [, kind = '', name = ''] of refs) {
      const component = components[kind]?.[name];
      if (component === undefined || found[kind]?.[name] !== undefined) continue;
      (found[kind] ??= {})[name] = component;
      find(component);
    }
  };
  find(part);
  return { ...found, securitySchemes: components['securitySchemes']! };
};

/** The document of the API, with the operations that are tried alone. */
const shortened = (text: string): string => {
  if (IS_LONG) return text;
  const document = JSON.parse(text) as Document;
  const paths = Object.fromEntries(TRIED.map((path) => [path, document.paths[path]!]));
  return JSON.stringify({ ...document, paths, components: componentsOf(paths, document) });
};

/** Passes the answers of the gateway on, with a shortened document. */
const front = createServer((request, response) => {
  const path = request.url ?? '';
  void fetch(stand.url(path)).then(async (answer) => {
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
    response.end(path.endsWith('.json') ? shortened(await answer.text()) : await answer.text());
  });
});

beforeAll(async () => {
  await stand.start();
  await once(front.listen(0, '127.0.0.1'), 'listening');
  const { port } = front.address() as AddressInfo;
  page = await openPage(`http://127.0.0.1:${String(port)}/v1/docs`);
});

afterAll(async () => {
  await page.close();
  front.closeAllConnections();
  front.close();
  await stand.stop();
});

const found = (selector: string, within: ParentNode = page.window.document): HTMLElement[] => [
  ...within.querySelectorAll<HTMLElement>(selector),
];

/** Waits as long as the test may take: the page resolves the whole document before it displays an operation. */
const first = async (selector: string): Promise<HTMLElement> => {
  for (;;) {
    const [element] = found(selector);
    if (element !== undefined) return element;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};

const click = async (selector: string): Promise<void> => {
  (await first(selector)).click();
};

/** Opens an operation for a trial. @returns its part of the page. */
const tried = async (tag: string, id: string): Promise<HTMLElement> => {
  const block = `#operations-${tag}-${id}`;
  await click(`#operations-tag-${tag}`);
  await click(`${block} .opblock-summary-control`);
  await click(`${block} .try-out__btn`);
  await first(`${block} .execute`);
  return first(block);
};

const valuesIn = (block: HTMLElement): Record<string, string> =>
  Object.fromEntries(
    found('tr[data-param-name]', block).map((row) => {
      const field = row.querySelector<HTMLInputElement>('input, textarea, select');
      return [row.dataset['paramName'] ?? '', field?.value ?? 'no field'];
    }),
  );

it('fills in no parameter of an operation that is tried', async () => {
  expect(valuesIn(await tried('Pipelines', 'updatePipeline'))).toEqual({
    id: '',
    dryRun: '',
    'Penstock-Workspace': '',
    'If-Match': '',
  });
});

it('fills in no parameter that is an object', async () => {
  expect(valuesIn(await tried('Applications', 'listApplicationUsers'))).toEqual({
    id: '',
    schema: '',
    filter: '',
    cursor: '',
    'Penstock-Workspace': '',
  });
});
