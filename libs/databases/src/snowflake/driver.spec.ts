import { snowflakeDriver } from './driver';

it('says what to install when the driver is not there', async () => {
  await expect(snowflakeDriver('snowflake-sdk-that-is-not-there')).rejects.toMatchObject({
    kind: 'Refused',
    message: 'the driver of Snowflake is not installed: npm install --no-save snowflake-sdk@3.3.0',
  });
});
