type TestVariable = 'TEST_DATABASE_URL' | 'TEST_KAFKA_BROKERS' | 'TEST_SERVERS_URL';

/** A variable that jest's global set-up of the integration project sets. @throws Error where it has not run. */
export const testVariable = (name: TestVariable): string => {
  const value = process.env[name];
  if (value) return value;
  throw new Error(`${name} is not set: run this spec in the project "integration"`);
};
