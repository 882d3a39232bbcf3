"""The vocabulary of prices: currencies, periods, bases and the one token pattern made of them."""

from __future__ import annotations

import re

CURRENCIES = (  # sign or word -> currency, first match wins; "¥" may be two currencies
    ("CNY|JPY", r"¥"),
    ("CNY", r"￥|rmb|cny|cnh|人民币|元人民币|yuan|元|圆|块钱|块(?=\s?(?:/|每|一|钱|$|[,.;\n]))"),
    ("JPY", r"jpy|yen|円|日元|日圓"),
    ("HKD", r"hkd|hk\$|港币|港元"),
    ("TWD", r"twd|nt\$|新台币|台币"),
    ("SGD", r"sgd|s\$"),
    ("AUD", r"aud|a\$"),
    ("CAD", r"cad|c\$"),
    ("USD", r"us\$|usd\$?|美元|美金|刀|\$|dollars?|bucks"),
    ("EUR", r"eur(?:os?)?|€|欧元"),
    ("GBP", r"gbp|£|英镑|pounds?"),
    ("INR", r"inr|₹|rs\.?(?=\s?\d)"),
    ("KRW", r"krw|₩|won\b|韩元"),
    ("CHF", r"chf"),
)
PERIODS: tuple[tuple[str, int, str], ...] = (  # unit, how many of it, words
    ("month", 3, r"季度?|quarters?"),
    ("month", 6, r"半年|half[\s-]?years?"),
    ("second", 60, r"分钟?|minutes?|mins?"),
    ("second", 1, r"秒|seconds?|secs?|s"),
    ("hour", 1, r"(?:个?小|个钟|钟)?时|hours?|hrs?|h"),
    ("day", 1, r"天|日|days?|d"),
    ("week", 1, r"周|星期|礼拜|weeks?|wk|w"),
    ("month", 1, r"个?月|months?|mon|mo|m"),
    ("year", 1, r"年|years?|yrs?|yr|y|annum"),
)
_PERIOD = "|".join(words for _, _, words in PERIODS)
ADVERBS = (
    ("second", r"按秒"),
    ("hour", r"hourly|按小?时|时租|每?小?时价|时付"),
    ("day", r"daily|按天|日租|包天|包日|日付|天租"),
    ("week", r"weekly|按周|周租|包周|周付"),
    ("month", r"monthly|p\.?m\.?(?![a-z])|按月|月租|包月|月付|月费|月价|月均"),
    ("quarter", r"quarterly|季付|季租|包季"),
    ("half", r"半年付"),
    ("year", r"yearly|annual(?:ly)?|p\.?a\.?(?![a-z])|按年|年租|包年|年付|年费|年价"),
)
_GPU = r"(?:gpu\s?卡|gpus?|cards?|accelerators?|chips?|卡|张|片|块(?!\s?(?:/|每|一|钱))|颗)"
_NODE = (
    r"(?:nodes?|servers?|machines?|instances?|boxe?s?|pods?|vms?|hosts?|systems?|hgx"
    r"|台|节点|整机|机器|实例|服务器|机|套)"
)
_SEPARATOR = r"[/·*⋅-]"

_CURRENCY = "|".join(f"(?:{words})" for _, words in CURRENCIES)
_ADVERB = "|".join(f"(?:{words})" for _, words in ADVERBS)
_HOUR = r"(?:hours?|hrs?|h|小时|时)(?![a-z])"
_EACH = r"(?:/|per|每|an?|元/)\s?"

TOKEN = re.compile(
    r"(?P<cents>(?<=\d)\s?(?:¢|cents?\b|美分))"
    # a word needs its boundaries, a sign does not
    rf"|(?P<cur>(?:(?<![a-z])|(?=[^a-z]))(?:{_CURRENCY})(?:(?![a-z])|(?<=[^a-z])))"
    r"|(?P<shell>(?<![\w.])-?(?:/bin/)?(?:ba|z|da|k)?sh(?=\.\d))"
    r"|(?P<off>(?:(?:会员|学生|新用户|新客|首[月单]|限时|活动|优惠|老客户?|vip|认证|再|可|享|打|价|member|student|discount|with|after|before|minus|less)\s?){0,4}"
    r"(?:(?<![\d.])\d{1,2}(?:\.\d)?|[一二三四五六七八九]{1,2}(?=\s?折))\s?(?:折|%\s?(?:off|discount|优惠)))"
    # what one payment buys, and for how long; "GPU-hour" and "卡时" say both
    rf"|(?P<gpuhour>(?:{_EACH})?(?:gpu|card|卡|accelerator)\s?{_SEPARATOR}?\s?{_HOUR})"
    rf"|(?P<nodehour>(?:{_EACH})?(?:node|instance|server|machine|台|机|节点)\s?{_SEPARATOR}?\s?{_HOUR})"
    r"|(?P<whole>(?:/|per|每|for|一)\s?(?:all\s)?(?P<whole_n>\d{1,2}|八|四|两|双|二)\s?[-x*]?\s?(?:gpus?|cards?|卡|张)"
    r"(?:\s?(?:整机|机器?|node|server|machine|box))?(?![a-z]))"
    rf"|(?P<node>(?:(?:/|per|每|一|a|for(?:\s(?:the|a|one))?(?:\swhole|\sfull)?)\s{{0,2}}{_NODE}(?![a-z]))"
    r"|整机|单机|总价|总共|(?<![a-z])(?:in\s)?total(?![a-z]))"
    rf"|(?P<gpu>(?:(?:/|per|每|一|a)\s{{0,2}}(?:1\s?)?(?:张\s?)?{_GPU}(?![a-z]))"
    r"|单卡|单张|(?<![a-z])(?:each|apiece|ea)(?![a-z]))"
    r"|(?P<unit>(?:/\s{0,2}|(?<![a-z])per\s|每|(?<![a-z])an?\s|一|(?<=[元块])(?!月|年|日|分)"
    r"|(?<=[台卡机张])[*·](?=个?月|年|天|小?时|日|周))"
    rf"(?:(?P<many>\d{{1,4}}|[百千](?=\s?个?小?时))\s?)?(?P<period>{_PERIOD})(?![a-z]|[租付费价均]))"
    rf"|(?P<adverb>(?<![a-z])(?:{_ADVERB})(?![a-z]))"
    r"|(?P<untaxed>不含\s?(?:增值)?税|未税|税前|不带票|(?:excl(?:uding|\.)?|ex\.?|\+|plus|before|without|w/o|net\sof)\s?(?:\d{1,2}(?:\.\d)?\s?%\s?)?"
    r"(?:vat|tax(?:es)?|gst)|(?:vat|tax)\s(?:excluded|extra|not\sincluded)|\+\s?税)"
    r"|(?P<taxed>含\s?(?:\d{1,2}(?:\.\d)?%\s?)?(?:的)?(?:增值)?(?:专票|普票|税票?|发票)"
    r"|(?:incl(?:uding|usive|\.)?(?:\sof)?|with|inc\.?)\s?(?:\d{1,2}(?:\.\d)?\s?%\s?)?(?:vat|tax(?:es)?|gst)|(?:vat|tax)\s(?:included|incl\.?))"
    r"|(?P<hours>(?<!\d)7[0-4]\d\s?(?:h|hrs?|hours?|小时)(?:\s?(?:/|per|每|a)?\s?(?:mo(?:nth)?|月))?(?![a-z]))"
    r"|(?P<start>(?<![a-z])(?:from|starting(?:\s(?:at|from))?|as\slow\sas)(?![a-z])|起步?价?|低至|最低)"
    r"|(?P<about>约|大概|左右|上下|(?<!\d)(?<!\d\s)~(?=\s?[\d$¥￥€])"
    r"|(?<![a-z])(?:approx\.?|about|around|roughly|circa|ca\.)(?![a-z]))"
    r"|(?P<num>(?:(?<![A-Za-z0-9_.,])(?:\d{1,3}(?:,\d{3})+(?:\.\d{1,12})?|\d{1,3}(?:[ ']\d{3})+(?=\s?(?:€|eur|chf))"
    r"|\d{1,3}(?:\.\d{3})+,\d{1,2}|\d{1,12}(?:[.,]\d{1,12})?|\.\d{1,12})|(?<=sh)\.\d{1,12})(?!\d|[.,]\d)"
    r"(?:\s?(?P<mult>万|萬|千|百|[kw](?![a-z0-9]))(?P<tail>(?<=[万萬])\d{1,4}千?)?)?)"
    r"|(?P<dash>-|~|至|到|(?<![a-z])to(?![a-z])|\.\.)",
    re.IGNORECASE,
)
MULTIPLES = {"万": 10_000, "萬": 10_000, "w": 10_000, "千": 1_000, "k": 1_000, "百": 100}
NOT_MONEY = re.compile(  # a number with this behind it counts something else
    r"\s?(?:x\s?\d|\*|卡|张|核|线程|台|个|颗|片|瓦|%|位"
    r"|(?:x|g|gb|gib|gbps|tb|t|mb|mib|mhz|ghz|v?cpus?|cores?|gpus?|w|iops|nodes?|cards?|mbps|ms|imgs?|images?|samples?|tokens?"
    r"|pods?|nm)(?![a-z]))",
    re.IGNORECASE,
)
