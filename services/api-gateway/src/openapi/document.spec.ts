import { readFileSync } from 'node:fs';
import 'reflect-metadata';
import { OPERATIONS } from '@penstock/contracts';
import { parseJson } from '@penstock/schema';
import { CONTROLLERS } from '../api-gateway.module';
import { printDocument } from '../print-document';
import { shaped } from '../validation/json-body';
import { openApiDocument } from './document';
import { DOCUMENT_FILE, WRITE_COMMAND } from './document-file';
import { operationsOf } from './operations';
import { schemaOf } from './schema/members';

interface MediaType {
  readonly example?: unknown;
  readonly examples?: object;
}

interface Answer {
  readonly description: string;
  readonly content?: Readonly<Record<string, MediaType>>;
}

interface DescribedOperation {
  readonly operationId: string;
  readonly parameters?: readonly DescribedParameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, MediaType>> };
  readonly responses: Readonly<Record<string, Answer | { readonly $ref: string }>>;
}

interface DescribedParameter {
  readonly name?: string;
  readonly $ref?: string;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, unknown>>;
  readonly schema?: DescribedSchema;
  readonly content?: Readonly<Record<string, { readonly schema: DescribedSchema }>>;
}

interface DescribedSchema {
  readonly $ref?: string;
  readonly example?: unknown;
  readonly default?: unknown;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

const document = openApiDocument(CONTROLLERS) as unknown as Document;

const described = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

it('is committed as generated from the code', () => {
  const hint = `\n\nThe code makes another document than the committed one. Write it: ${WRITE_COMMAND}\n`;
  const isSame = readFileSync(DOCUMENT_FILE, 'utf8') === printDocument();
  expect(isSame ? '' : hint).toBe('');
});

it('describes every route of the API except the page that displays it', () => {
  const missing = operationsOf(CONTROLLERS).filter(
    ({ path, description }) => path.startsWith('/v1') && description === undefined,
  );
  expect(missing.map(({ name }) => name).sort()).toEqual([
    'DocumentController.page',
    'DocumentController.part',
  ]);
});

it('has a route for every operation except those between services, and those of the MCP server', () => {
  const performed = operationsOf(CONTROLLERS).flatMap(({ performs }) => performs);
  const missing = Object.keys(OPERATIONS).filter((name) => !performed.includes(name as never));
  expect(missing.sort()).toEqual([
    'BeginRequest',
    'ConnectionStates',
    'DescribeWarehouse',
    'EndErasure',
    'EndRequest',
    'EndResolution',
    'EndRun',
    'NoteIdentities',
    'NoteRunWait',
    'PipelineStates',
    'PipelineVersion',
    'QueryWarehouse',
    'RecordReplay',
    'ReportHealth',
    'SuppressErased',
    'TriggerResolution',
  ]);
});

describe.each([
  ['UpdatePipeline', 'Pipeline', ['version', 'health', 'running', 'nextRun']],
  ['UpdateConnection', 'Connection', ['version', 'health', 'pipelines']],
  ['RenameWorkspace', 'Workspace', ['version']],
])('the body %s', (body, answer, ignored) => {
  interface Schema {
    readonly required: readonly string[];
    readonly properties: Readonly<Record<string, { readonly description?: string }>>;
    readonly additionalProperties?: boolean;
  }
  const [taken, answered] = [body, answer].map(
    (name) => document.components['schemas']?.[name] as Schema,
  ) as [Schema, Schema];

  it('has every member of the answer to a GET, and accepts no unknown ones', () => {
    expect(taken.additionalProperties).toBe(false);
    expect(Object.keys(taken.properties)).toEqual(
      expect.arrayContaining(Object.keys(answered.properties)),
    );
    expect(taken.required).toEqual(['name']);
  });

  it('describes how members that are only sent back are handled', () => {
    const said = (name: string): string => taken.properties[name]?.description ?? '';
    for (const name of ignored) expect(said(name)).toMatch(/Ignored: it may be sent back\.$/);
    expect(said('id')).toMatch(/Cannot be changed: it may be sent back as it is\.$/);
    expect(said('name')).toBe('');
  });
});

/** The object itself, or what it refers to. */
const resolved = <T extends { readonly $ref?: string }>(value: T): T => {
  const [, , kind = '', name = ''] = value.$ref?.split('/') ?? [];
  return value.$ref === undefined ? value : (document.components[kind]?.[name] as T);
};

/**
 * Whether Swagger UI fills the parameter in by itself, and so sends it unless the reader empties it. Source:
 * `setDefaultValue` of its `parameter-row.jsx`. What it makes of the schemas of objects is switched off in the page.
 */
const isFilledIn = (parameter: DescribedParameter): boolean => {
  const { example, examples, schema: plain, content = {} } = resolved(parameter);
  const [inContent] = Object.values(content);
  const schema = resolved(plain ?? inContent?.schema ?? {});
  const given = [example, schema.example, schema.default, ...Object.values(examples ?? {})];
  return given.some((value) => value !== undefined);
};

it('has no parameter that the page would send unless it is emptied', () => {
  const filledIn = described.flatMap(({ operation: { operationId, parameters = [] } }) =>
    parameters
      .filter(isFilledIn)
      .map((parameter) => `${operationId}: ${String(resolved(parameter).name)}`),
  );
  expect(filledIn).toEqual([]);
});

it('names every operation once', () => {
  const ids = described.map(({ operation }) => operation.operationId);
  expect(new Set(ids).size).toBe(ids.length);
});

it('has no dangling references', () => {
  const targets = JSON.stringify(document).match(/#\/components\/\w+\/[\w-]+/g) ?? [];
  const missing = [...new Set(targets)].filter((target) => {
    const [, , kind = '', name = ''] = target.split('/');
    return document.components[kind]?.[name] === undefined;
  });
  expect(missing).toEqual([]);
});

it.each([
  [
    'PostgreSQLWarehouseSettings',
    ['host', 'port', 'username', 'database', 'schema'],
    ['password', 'sslMode'],
  ],
  [
    'PostgreSQLShownWarehouseSettings',
    ['Host', 'Port', 'Username', 'Database', 'Schema'],
    ['Password', 'SslMode'],
  ],
  [
    'SnowflakeWarehouseSettings',
    ['account', 'username', 'password', 'role', 'database', 'schema', 'warehouse'],
    [],
  ],
])('lists the required and the optional settings of a platform: %s', (name, needed, taken) => {
  const { required, properties } = document.components['schemas']?.[name] as {
    required: string[];
    properties: object;
  };
  expect(required).toEqual(needed);
  expect(Object.keys(properties)).toEqual([...needed, ...taken]);
});

it('gives decimals a format other than double', () => {
  const { DecimalType, FloatType, Event } = document.components['schemas'] ?? {};
  const bound = (format: string) => ({ properties: { minimum: { type: 'number', format } } });
  expect(DecimalType).toMatchObject(bound('decimal'));
  expect(FloatType).toMatchObject(bound('double'));
  expect(JSON.stringify(Event)).toContain(
    '"density":{"type":"number","format":"decimal","minimum":0.01,"exclusiveMaximum":10}',
  );
});

it('has an example of every body', () => {
  const bodies = described.flatMap(({ operation }) => [
    operation.requestBody,
    ...Object.values(operation.responses).map((answer) => ('$ref' in answer ? undefined : answer)),
  ]);
  const without = bodies
    .flatMap((body) => Object.values(body?.content ?? {}))
    .filter(({ example, examples }) => example === undefined && examples === undefined);
  expect(without).toEqual([]);
});

it.each(
  operationsOf(CONTROLLERS).flatMap(({ name, body, description }) =>
    body === undefined || description === undefined ? [] : [[name, body.shape] as const],
  ),
)('has a valid example of the body of %s', (_, shape) => {
  const [example] = schemaOf(shape)['examples'] as readonly unknown[];
  expect(() => shaped(shape, parseJson(JSON.stringify(example)))).not.toThrow();
});
