import { PENSTOCK_RULES, PENSTOCK_VARIABLES } from './penstock-variables';
import { ConfigurationError, readConfig } from './read-config';

const NOWHERE = '/nonexistent';
const KEY = 'pk_0000000000000000000000000000000000';

const read = (env: Record<string, string>) =>
  readConfig(env, PENSTOCK_VARIABLES, PENSTOCK_RULES, { folder: NOWHERE });

const faultsOf = (env: Record<string, string>): readonly string[] => {
  try {
    read(env);
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) return error.faults;
    throw error;
  }
};

const letters = (count: number): string => 'x'.repeat(count);

/** Good on the left, bad on the right; where a variable needs others, the good side has them. */
const ROWS: Record<keyof typeof PENSTOCK_VARIABLES, [good: string[], bad: string[]]> = {
  PENSTOCK_PORT: [
    ['0', '65535'],
    ['65536', 'http'],
  ],
  PENSTOCK_HOST: [['0.0.0.0', 'gateway'], ['http://gateway']],
  PENSTOCK_OPS_PORT: [['0', '65535'], ['65536']],
  PENSTOCK_OPS_HOST: [['::'], ['a b']],
  PENSTOCK_DRAIN_SECONDS: [
    ['0', '20'],
    ['-1', '601', '1.5', '5s'],
  ],
  PENSTOCK_SHUTDOWN_SECONDS: [
    ['10', '3600'],
    ['4', '3601', '30s'],
  ],
  PENSTOCK_EVENTS_PARTITIONS: [
    ['1', '1024'],
    ['0', '1025', '1.5'],
  ],
  PENSTOCK_EVENTS_RETENTION: [
    ['2d', '48h', '3650d', '87600h'],
    ['1d', '47h', '3651d', '30', '30 d', '1.5d', '-2d', '2w'],
  ],
  PENSTOCK_EVENTS_FROM: [['earliest', 'LATEST'], ['beginning']],
  PENSTOCK_RETRY_HOURS: [
    ['1', '24', '696'],
    ['0', '87601', '1d'],
  ],
  PENSTOCK_DEAD_LETTER_DAYS: [
    ['1', '3650'],
    ['0', '3651', '14d'],
  ],
  PENSTOCK_DUPLICATE_WINDOW_HOURS: [
    ['1', '720'],
    ['0', '721', '24h'],
  ],
  PENSTOCK_DATA: [['/data', letters(4096)], [letters(4097)]],
  DATABASE_URL: [['postgres://u:p@db/n'], ['mysql://db/n']],
  KAFKA_BROKERS: [['a:9092,b:9092'], ['a']],
  KAFKA_TLS: [['1', 'false'], ['yes']],
  KAFKA_SASL_MECHANISM: [['plain', 'SCRAM-SHA-256', 'scram-sha-512'], ['gssapi']],
  KAFKA_SASL_USERNAME: [['u'], [letters(4097)]],
  KAFKA_SASL_PASSWORD: [['p'], [letters(4097)]],
  KAFKA_REPLICATION_FACTOR: [
    ['1', '5'],
    ['0', '32768', 'three'],
  ],
  KAFKA_MIN_INSYNC_REPLICAS: [
    ['1', '3'],
    ['0', '32768'],
  ],
  PENSTOCK_PREFIX: [
    ['a', 'Team_7.penstock-eu.', letters(230)],
    [letters(231), 'a b', 'a/b', 'ä', 'a.\n', 'runs.', 'a.runs.'],
  ],
  PENSTOCK_BOOTSTRAP_KEY: [
    [letters(32), letters(128), `${KEY.padEnd(37, '0')}0iqUEf`],
    [letters(31), letters(129), `${letters(32)}/`, KEY.padEnd(43, '0'), `pk_${letters(32)}`],
  ],
  PENSTOCK_SECRET: [[letters(32)], [letters(31)]],
  PENSTOCK_DEMO: [['0', '1'], ['no']],
  PENSTOCK_EGRESS_ALLOW: [['127.0.0.0/8'], ['127.0.0.0/33']],
  PENSTOCK_TRUSTED_PROXIES: [['10.0.0.0/8,::1'], ['proxy']],
  PENSTOCK_CONNECTORS: [['http,postgresql'], ['http,']],
  PENSTOCK_FUNCTION_TIMEOUT_MS: [
    ['100', '300000'],
    ['99', '300001', '10s'],
  ],
  PENSTOCK_FUNCTION_MAX_MIB: [
    ['64', '4096'],
    ['63', '4097', '1GiB'],
  ],
  PENSTOCK_FUNCTION_TOTAL_MIB: [
    ['512', '65536'],
    ['511', '65537'],
  ],
  PENSTOCK_ROUTER_MEMORY_MIB: [
    ['16', '65536'],
    ['15', '65537'],
  ],
  PENSTOCK_DATABASE_CONNECTIONS: [
    ['4', '1000'],
    ['3', '1001'],
  ],
  PENSTOCK_WAREHOUSE_URL: [['postgresql://wh/n'], ['wh']],
  PENSTOCK_FILES_ROOT: [['/files'], [letters(4097)]],
  PENSTOCK_FILES_SPOOL: [['/spool'], [letters(4097)]],
  PENSTOCK_GEOIP: [['/city.mmdb'], [letters(4097)]],
  LOG_LEVEL: [['trace', 'SILENT'], ['loud']],
  LOG_FORMAT: [['json', 'pretty'], ['xml']],
  OTEL_EXPORTER_OTLP_ENDPOINT: [['http://collector:4318', 'https://host/otlp'], ['collector:4317']],
  OTEL_EXPORTER_OTLP_HEADERS: [['a=1,b=2'], ['a']],
  OTEL_SDK_DISABLED: [['true', 'FALSE'], ['off']],
  OTEL_SERVICE_NAME: [['shop', letters(255)], [letters(256)]],
  OTEL_RESOURCE_ATTRIBUTES: [['deployment.environment.name=test'], ['test']],
  OTEL_TRACES_SAMPLER: [['always_on', 'parentbased_always_off'], ['jaeger_remote']],
  OTEL_TRACES_SAMPLER_ARG: [
    ['0', '0.25', '1'],
    ['-1', '1.1', '10%'],
  ],
};

const COMPANIONS = {
  PENSTOCK_SECRET: letters(32),
  KAFKA_BROKERS: 'a:9092',
  KAFKA_SASL_MECHANISM: 'plain',
  KAFKA_SASL_USERNAME: 'u',
  KAFKA_SASL_PASSWORD: 'p',
};

describe.each(Object.entries(ROWS))('%s', (name, [good, bad]) => {
  it.each(good)('takes %s', (value) => {
    expect(faultsOf({ ...COMPANIONS, [name]: value })).toEqual([]);
  });

  it.each(bad)('refuses %s, naming itself but not the value', (value) => {
    const faults = faultsOf({ ...COMPANIONS, [name]: value });
    expect(faults).toEqual([expect.stringMatching(`^${name} must be `)]);
    expect(faults[0]?.split('must be')[0]).not.toContain(value);
  });
});

it('has the documented defaults', () => {
  expect(read({})).toEqual({
    PENSTOCK_PORT: 8080,
    PENSTOCK_HOST: '127.0.0.1',
    PENSTOCK_OPS_PORT: 9090,
    PENSTOCK_FUNCTION_TIMEOUT_MS: 10_000,
    PENSTOCK_FUNCTION_MAX_MIB: 256,
    PENSTOCK_ROUTER_MEMORY_MIB: 256,
    PENSTOCK_DATABASE_CONNECTIONS: 12,
    PENSTOCK_OPS_HOST: '127.0.0.1',
    PENSTOCK_DRAIN_SECONDS: 5,
    PENSTOCK_SHUTDOWN_SECONDS: 25,
    PENSTOCK_DATA: '.penstock',
    PENSTOCK_EVENTS_RETENTION: 2_592_000_000,
    PENSTOCK_RETRY_HOURS: 24,
    PENSTOCK_DEAD_LETTER_DAYS: 14,
    PENSTOCK_DUPLICATE_WINDOW_HOURS: 24,
    KAFKA_TLS: false,
    PENSTOCK_EGRESS_ALLOW: [],
    PENSTOCK_TRUSTED_PROXIES: [],
    LOG_LEVEL: 'info',
    OTEL_EXPORTER_OTLP_HEADERS: {},
    OTEL_RESOURCE_ATTRIBUTES: {},
    OTEL_SDK_DISABLED: 'false',
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: 0.01,
  });
});

it('counts a variable that is set to nothing as not set', () => {
  expect(read({ DATABASE_URL: '', PENSTOCK_PORT: '' })).toEqual(read({}));
});

it('names every bad variable at once, and prints no value', () => {
  const env = { PENSTOCK_PORT: 'hush', DATABASE_URL: 'hush', PENSTOCK_SECRET: 'hush' };
  expect(() => read(env)).toThrow(/PENSTOCK_PORT.*DATABASE_URL.*PENSTOCK_SECRET/);
  expect(faultsOf(env).join()).not.toContain('hush');
});

it('is frozen, its lists too', () => {
  const config = read({ KAFKA_BROKERS: 'a:1' });
  expect([Object.isFrozen(config), Object.isFrozen(config.KAFKA_BROKERS)]).toEqual([true, true]);
});

describe('rules between variables', () => {
  const database = { DATABASE_URL: 'postgres://db/n' };

  it('wants PENSTOCK_SECRET with DATABASE_URL, since nothing keeps a made one there', () => {
    expect(faultsOf(database)).toEqual(['PENSTOCK_SECRET must be set when DATABASE_URL is']);
    expect(faultsOf({ ...database, PENSTOCK_SECRET: letters(32) })).toEqual([]);
  });

  it.each([
    ['30d', '696', true],
    ['30d', '697', false],
    ['48h', '24', true],
    ['48h', '25', false],
  ])('with events kept for %s, retries for %s hours: %s', (retention, hours, isGood) => {
    const env = { PENSTOCK_EVENTS_RETENTION: retention, PENSTOCK_RETRY_HOURS: hours };
    const fault: unknown = expect.stringMatching(
      /^PENSTOCK_EVENTS_RETENTION .*PENSTOCK_RETRY_HOURS/,
    );
    expect(faultsOf(env)).toEqual(isGood ? [] : [fault]);
  });

  it.each([
    ['20', '25', true],
    ['21', '25', false],
    ['600', '605', true],
    ['600', '604', false],
    ['0', '5', true],
  ])('with a drain of %s s, a shutdown of %s s: %s', (drain, shutdown, isGood) => {
    const env = { PENSTOCK_DRAIN_SECONDS: drain, PENSTOCK_SHUTDOWN_SECONDS: shutdown };
    const fault: unknown = expect.stringMatching(
      /^PENSTOCK_SHUTDOWN_SECONDS .*PENSTOCK_DRAIN_SECONDS/,
    );
    expect(faultsOf(env)).toEqual(isGood ? [] : [fault]);
  });

  it.each([
    ['2', '2', true],
    ['2', '3', false],
  ])('with %s replicas, %s in sync: %s', (factor, inSync, isGood) => {
    const env = {
      KAFKA_BROKERS: 'a:1',
      KAFKA_REPLICATION_FACTOR: factor,
      KAFKA_MIN_INSYNC_REPLICAS: inSync,
    };
    const fault: unknown = expect.stringMatching(/^KAFKA_MIN_INSYNC_REPLICAS must not be more/);
    expect(faultsOf(env)).toEqual(isGood ? [] : [fault]);
  });

  it.each([
    ['1024', '1024', true],
    ['1025', '1024', false],
  ])('with functions of %s MiB, %s MiB in all: %s', (one, all, isGood) => {
    const env = { PENSTOCK_FUNCTION_MAX_MIB: one, PENSTOCK_FUNCTION_TOTAL_MIB: all };
    const fault: unknown = expect.stringMatching(/^PENSTOCK_FUNCTION_TOTAL_MIB must not be less/);
    expect(faultsOf(env)).toEqual(isGood ? [] : [fault]);
  });

  it('refuses settings of topics on Kafka without Kafka, since they would have no effect', () => {
    const env = { PENSTOCK_PREFIX: 'a.', KAFKA_REPLICATION_FACTOR: '1' };
    expect(faultsOf(env)).toEqual([
      expect.stringMatching(/^PENSTOCK_PREFIX, KAFKA_REPLICATION_FACTOR must not .* KAFKA_BROKERS/),
    ]);
    expect(faultsOf({ ...env, KAFKA_BROKERS: 'a:1' })).toEqual([]);
  });

  it.each(['KAFKA_SASL_MECHANISM', 'KAFKA_SASL_USERNAME', 'KAFKA_SASL_PASSWORD'] as const)(
    'wants %s with the other two',
    (name) => {
      const { [name]: _, ...others } = COMPANIONS;
      expect(faultsOf(others)).toEqual([expect.stringMatching(`^${name} must be set too`)]);
    },
  );
});
