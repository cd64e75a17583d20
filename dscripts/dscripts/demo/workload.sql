-- A small shop: tables, an index, joins, aggregates, updates. The workload of `make demo`.
CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, price INTEGER);
CREATE TABLE sale (id INTEGER PRIMARY KEY, item INTEGER, n INTEGER, day INTEGER);
BEGIN;
WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 50)
INSERT INTO item SELECT x, 'item ' || x, (x * 37) % 100 + 1 FROM c;
WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 400)
INSERT INTO sale SELECT x, (x * 31) % 50 + 1, x % 5 + 1, x % 28 FROM c;
COMMIT;
CREATE INDEX sale_item ON sale(item);
SELECT count(*), sum(n) FROM sale;
SELECT name, sum(n * price) AS total FROM sale JOIN item ON item.id = sale.item
  GROUP BY name ORDER BY total DESC LIMIT 3;
UPDATE item SET price = price + 1 WHERE id % 7 = 0;
DELETE FROM sale WHERE day = 13;
SELECT day, count(*) FROM sale GROUP BY day HAVING count(*) > 14 ORDER BY day LIMIT 3;
