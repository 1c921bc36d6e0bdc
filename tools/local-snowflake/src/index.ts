export { type LocalSnowflake, startSnowflake } from './start-snowflake';
