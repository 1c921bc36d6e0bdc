import { mergeContract } from '../merging/merge.contract';
import { standOfSpecs } from './snowflake-stand.fixture';

jest.setTimeout(120_000);

const stand = standOfSpecs();

mergeContract(stand);
