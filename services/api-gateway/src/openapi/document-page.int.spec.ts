import { GatewayStand } from '../testing/gateway.fixture';
import { openPage, type OpenPage } from '@penstock/test-servers';

jest.setTimeout(120_000);

const stand = new GatewayStand();

let page: OpenPage;

beforeAll(async () => {
  await stand.start();
  page = await openPage(stand.url('/v1/docs'));
});

afterAll(async () => {
  await page.close();
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
