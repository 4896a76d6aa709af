-- Statistics of a long text tell nothing of the words in it, and cost: to judge a pattern the planner tries it on a hundred
-- texts, which takes longer than many a search, and then prefers reading the whole table for a frequent one, taking
-- a look at a text for cheap. Without them it takes the trigram index whenever the pattern has a trigram.
alter table signals alter column search_text set statistics 0;

-- Rewrites nothing, and drops what was gathered before.
alter table signals alter column search_text type text collate "C";
